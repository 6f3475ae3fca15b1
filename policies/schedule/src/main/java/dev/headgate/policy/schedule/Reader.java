package dev.headgate.policy.schedule;

import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Parameters;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Reads nested parameters, and notes every fault with where it is ("windows/0/from"). */
final class Reader {

    private static final int MOST_CONNECTIONS = 10_000;

    private final List<Fault> faults = new ArrayList<>();

    List<Fault> faults() {
        return faults;
    }

    ZoneId zone(Parameters parameters) {
        String name = parameters.string("zone", "UTC");
        try {
            return ZoneId.of(name);
        } catch (DateTimeException e) {
            faults.add(new Fault("zone", "must be a time zone such as UTC or Europe/Berlin, was " + name));
            return ZoneId.of("UTC");
        }
    }

    List<Span> windows(Parameters parameters) {
        List<Span> spans = new ArrayList<>();
        if (!(parameters.find("windows").orElse(List.of()) instanceof List<?> list)) {
            faults.add(new Fault("windows", "must be a list of windows"));
            return spans;
        }
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i) instanceof Map<?, ?> window) {
                String at = "windows/" + i;
                Set<DayOfWeek> days = days(window, at + "/days");
                LocalTime from = time(value(window, "from", "nothing"), at + "/from");
                LocalTime to = time(value(window, "to", "nothing"), at + "/to");
                spans.add(new Span(days, from, to, bounds(window, at)));
            } else {
                faults.add(new Fault("windows", "must hold windows with from, to and max, held " + list.get(i)));
            }
        }
        return spans;
    }

    Bounds otherwise(Parameters parameters) {
        Object found = parameters.find("otherwise").orElse(Map.of());
        if (found instanceof Map<?, ?> bounds) {
            return bounds(bounds, "otherwise");
        }
        faults.add(new Fault("otherwise", "must hold min and max, was " + found));
        return new Bounds(0, 1);
    }

    private Bounds bounds(Map<?, ?> of, String at) {
        int max = whole(value(of, "max", 10), at + "/max", 1, MOST_CONNECTIONS);
        int min = whole(value(of, "min", 0), at + "/min", 0, MOST_CONNECTIONS);
        if (min > max) {
            faults.add(new Fault(at + "/min", "must be between 0 and max (" + max + "), was " + min));
        }
        return new Bounds(Math.min(min, max), max);
    }

    private int whole(Object value, String at, int least, int most) {
        if (value instanceof Number number
                && number.doubleValue() == Math.rint(number.doubleValue())
                && number.doubleValue() >= least
                && number.doubleValue() <= most) {
            return number.intValue();
        }
        faults.add(new Fault(at, "must be a whole number from " + least + " to " + most + ", was " + value));
        return least;
    }

    private LocalTime time(Object value, String at) {
        if (value instanceof String text && text.matches("([01][0-9]|2[0-3]):[0-5][0-9]")) {
            return LocalTime.parse(text);
        }
        faults.add(new Fault(at, "must be a time of day from 00:00 to 23:59, was " + value));
        return LocalTime.MIDNIGHT;
    }

    private Set<DayOfWeek> days(Map<?, ?> window, String at) {
        if (!window.containsKey("days")) {
            return EnumSet.allOf(DayOfWeek.class);
        }
        Object value = value(window, "days", "nothing");
        Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
        if (value instanceof List<?> names) {
            for (Object name : names) {
                for (DayOfWeek day : DayOfWeek.values()) {
                    if (day.name().substring(0, 3).toLowerCase(Locale.ROOT).equals(name)) {
                        days.add(day);
                    }
                }
            }
            if (days.size() == names.size() && !days.isEmpty()) {
                return days;
            }
        }
        faults.add(new Fault(at, "must name at least one of mon, tue, wed, thu, fri, sat, sun, was " + value));
        return days;
    }

    private static Object value(Map<?, ?> of, String name, Object otherwise) {
        Object found = of.get(name);
        return found == null ? otherwise : found;
    }
}
