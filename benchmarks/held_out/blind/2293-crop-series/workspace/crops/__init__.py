CROPS = ("wheat", "maize", "rape", "beet", "fallow")
