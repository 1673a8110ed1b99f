"""The program behind `vegaslab linux` attacked in a guest, where nothing of the host can be harmed."""
