"""The games as programs see and play them."""
