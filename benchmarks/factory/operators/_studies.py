"""The studies of faults that operators cite."""

from __future__ import annotations

HUMBATOVA = "Humbatova et al., Taxonomy of real faults in deep learning systems, ICSE 2020"
DEEPCRIME = "Humbatova et al., DeepCrime, ISSTA 2021"
ZHANG_2018 = "Zhang et al., Empirical study on TensorFlow program bugs, ISSTA 2018"
ZHANG_2020 = "Zhang et al., Program failures of deep learning jobs, ICSE 2020"
ISLAM_2019 = "Islam et al., Deep learning bug characteristics, FSE 2019"
ISLAM_2020 = "Islam et al., Repairing deep neural networks, ICSE 2020"
JAHANGIROVA = "Jahangirova and Tonella, Mutation operators for deep learning, ICST 2020"
SEMSEED = "Patra and Pradel, SemSeed, FSE 2021"
BUGLAB = "Allamanis et al., BugLab, NeurIPS 2021"
SWE_SMITH = "Yang et al., SWE-smith, 2025"
