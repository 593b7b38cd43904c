// Solves random formulas of three literals a clause, about as many satisfiable as not: solve_formulas COUNT.
// The same formulas in each run.
#include <minisat/core/Solver.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 42;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return static_cast<uint32_t>((state >> 33) % below);
}

static bool solve(int variables, int clauses)
{
    Minisat::Solver solver;
    for (int v = 0; v < variables; v++)
        solver.newVar();
    for (int c = 0; c < clauses; c++) {
        Minisat::vec<Minisat::Lit> clause;
        for (int i = 0; i < 3; i++)
            clause.push(Minisat::mkLit(static_cast<int>(draw(static_cast<uint32_t>(variables))), draw(2)));
        solver.addClause_(clause);
    }
    bool satisfiable = solver.solve();
    printf("%s %d %d\n", satisfiable ? "satisfiable" : "unsatisfiable", static_cast<int>(solver.conflicts),
           static_cast<int>(solver.decisions));
    return satisfiable;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1, found = 0;
    for (int i = 0; i < count; i++)
        found += solve(200, 855);
    printf("%d\n", found);
    return 0;
}
