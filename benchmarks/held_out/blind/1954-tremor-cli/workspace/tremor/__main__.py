from tremor.cli import cli

cli(prog_name="tremor")
