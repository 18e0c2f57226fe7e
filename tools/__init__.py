"""What makes pages and new files. Run by people and by tests; nothing else imports it."""
