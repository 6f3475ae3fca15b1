/** Load that is measured: open and closed loop, timed from the schedule, with the generator's own limits reported. */
@NullMarked
package dev.headgate.lab.load;

import org.jspecify.annotations.NullMarked;
