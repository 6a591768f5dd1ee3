"""Write the names with their numbers: python prepare.py"""

NAMES = ["ash", "beech", "birch", "elm", "fir"]

with open("names.txt", "w") as file:
    for number, name in enumerate(NAMES, 1):
        file.write(f"{number}\t{name}\n")
