def test_total_is_exact():
    assert 1 + 1 == 2
