int not_asked(int value);

int not_asked(int value)
{
    return value + 1;
}
