"""What a suspicious line offers: hover, code lenses, code actions, fixes."""
