"""Tables, drawings and pages for all results of the lab."""
