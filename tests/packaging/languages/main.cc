#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

extern "C" int from_c(int value);
extern "C" int from_static(int value);
extern "C" int not_asked(int value);

int from_cxx(int value)
{
    std::vector<int> numbers;
    std::map<int, int> counts;
    for (int i = 0; i < 100; i++)
        numbers.push_back((i * 37 + value) % 101);
    std::sort(numbers.begin(), numbers.end());
    for (int number : numbers)
        counts[number % 7]++;
    return counts[3];
}

int main()
{
    std::printf("%d\n", from_cxx(1) + from_c(2) + from_static(3) + not_asked(4));
}
