"""Chaos: a whole site is played on while its parts are killed, stopped, emptied and cut off."""
