"""Weekly late-delivery report: fill in the parameters, run the notebook, keep the text output."""
import click
import nbformat
import yaml
from nbclient import NotebookClient


def inject(nb, params):
    lines = [f"{k} = {v!r}" for k, v in params.items()]
    cell = nbformat.v4.new_code_cell("# parameters\n" + "\n".join(lines))
    first = next(i for i, c in enumerate(nb.cells) if c.cell_type == "code")
    nb.cells.insert(first + 1, cell)
    return nb


@click.command()
@click.option("--notebook", default="late_delivery.ipynb", show_default=True)
@click.option("--params", type=click.Path(exists=True), default=None)
@click.option("--output", default="report.txt", show_default=True)
def main(notebook, params, output):
    nb = nbformat.read(notebook, as_version=4)
    if params:
        with open(params) as fh:
            nb = inject(nb, yaml.safe_load(fh))
    NotebookClient(nb, timeout=100, kernel_name="python3").execute()

    text = []
    for cell in nb.cells:
        for out in cell.get("outputs", []):
            if out.output_type == "stream" and out.name == "stdout":
                text.append(out.text.rstrip())
    with open(output, "w") as fh:
        fh.write("\n".join(text) + "\n")
    click.echo("\n".join(text))


if __name__ == "__main__":
    main()
