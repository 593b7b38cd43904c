# Files in memory are refused: sites stay hook calls, which count.
. "$(dirname "$case")/stock_settings.sh"
refusing memfd pcomp record --counts exact -- budget_load 2>/dev/null
counted
