"""The site where people play: every page about games, their players and the lobby."""
