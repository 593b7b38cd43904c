int from_c(int value);

int from_c(int value)
{
    return value + 1;
}
