"""Tables, drawings and pages, shared by everything in the lab that shows results."""
