/** Hostile callers of a whole service, in a process of their own. */
@NullMarked
package dev.headgate.bench.attacks;

import org.jspecify.annotations.NullMarked;
