"""Real servers for tests of the whole program: started on loopback, ended with the test however that ends."""
