"""The report for people and machines: text, JSON, SARIF, workflow annotations."""
