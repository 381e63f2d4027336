"""How the extractive generator reads a question, cuts the evidence, chooses and declines. Pure: no model is loaded here."""
