"""What every Python of a watched run loads at its start; the package itself never imports it."""
