"""Small trainings, clean and with seeded silent faults, recorded for learning and for tables."""
