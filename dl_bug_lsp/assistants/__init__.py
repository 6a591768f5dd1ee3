"""What is handed to assistants and issues: the compact context, and where values come from."""
