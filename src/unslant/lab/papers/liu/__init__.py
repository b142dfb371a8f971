"""Liu et al. 2021: a recurrent judge of political leaning."""
