int from_static(int value);

int from_static(int value)
{
    return value + 1;
}
