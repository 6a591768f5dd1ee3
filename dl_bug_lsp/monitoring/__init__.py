"""Recordings of trainings: what each layer, the loss, the optimizer and the data did, step by step.

`tables` is the schema, `training_run` what a reader gets, `store` the file and its reader; what
runs in the user's interpreter lies in `recorder`.
"""
