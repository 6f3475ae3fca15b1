package dev.headgate.policy.schedule;

import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Set;

/**
 * A stretch of the day on some days of the week, by the clock on the wall. It includes its start and excludes its end. Where
 * the end is not after the start it lasts past midnight, and belongs to the day it began on; where both are equal it lasts
 * for the whole day.
 *
 * <p>Because it goes by the wall clock, a span from 22:00 to 06:00 is 7 hours long in the night in which clocks are put
 * forward, and 9 in the one in which they are put back; what lies within the hour that is left out does not happen, and
 * what lies within the hour that comes twice happens twice.
 */
record Span(Set<DayOfWeek> days, LocalTime from, LocalTime to, Bounds bounds) {

    Span {
        days = Set.copyOf(days);
    }

    boolean holds(LocalDateTime local) {
        LocalTime time = local.toLocalTime();
        DayOfWeek today = local.getDayOfWeek();
        if (from.isBefore(to)) {
            return days.contains(today) && !time.isBefore(from) && time.isBefore(to);
        }
        return (days.contains(today) && !time.isBefore(from)) || (days.contains(today.minus(1)) && time.isBefore(to));
    }
}
