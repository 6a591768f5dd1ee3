"""What can be known to be wrong before a job runs: findings, each with its place and certainty."""
