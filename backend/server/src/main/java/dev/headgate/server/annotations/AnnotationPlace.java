package dev.headgate.server.annotations;

import dev.headgate.server.api.Cursors;
import java.time.Instant;
import java.util.UUID;

/** An annotation's place in the list, newest first. */
record AnnotationPlace(Instant time, UUID id) {

    static final Cursors<AnnotationPlace> CURSORS = new Cursors<>("annotations", AnnotationPlace::parse);

    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    static AnnotationPlace of(Annotation annotation) {
        return new AnnotationPlace(annotation.time(), UUID.fromString(annotation.id()));
    }

    @Override
    public String toString() {
        return time + "|" + id;
    }

    private static AnnotationPlace parse(String text) {
        int bar = text.indexOf('|');
        Instant time = Instant.parse(text.substring(0, Math.max(0, bar)));
        if (time.isBefore(Instant.EPOCH) || time.isAfter(LAST)) {
            throw new IllegalArgumentException("no time that the store can hold");
        }
        return new AnnotationPlace(time, UUID.fromString(text.substring(bar + 1)));
    }
}
