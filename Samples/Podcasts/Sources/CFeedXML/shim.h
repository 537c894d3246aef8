// Expat parses the feeds.
#pragma once
#include <expat.h>
