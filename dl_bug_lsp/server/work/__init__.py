"""Work off the event loop: jobs, and a lane for each folder."""
