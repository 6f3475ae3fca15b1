package dev.headgate.server.live;

import dev.headgate.server.annotations.Annotation;
import dev.headgate.server.api.AlarmJson;
import dev.headgate.server.api.DecisionJson;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A single event. Sent to every client whose subscription covers it, and never dropped. */
@Schema(name = "StreamEvent")
sealed interface Event {

    /** The domain that it concerns; null if it concerns everyone. */
    @Nullable
    String about();

    static Event policy(
            Instant time, String database, @Nullable String domain, long revision, String actor, String message) {
        return new PolicyChanged("event", "policy", time, database, domain, revision, actor, message);
    }

    static Event decision(DecisionJson decision) {
        return new Decided("event", "decision", decision.lastTime(), decision);
    }

    static Event alarm(Instant time, String domain, AlarmJson alarm, boolean active) {
        return new AlarmChanged("event", "alarm", time, domain, alarm, active);
    }

    /** Of one domain, of one database, or, with neither, of several. */
    static Event domains(Instant time, @Nullable String domain, @Nullable String database) {
        return new DomainsChanged("event", "domains", time, domain, database);
    }

    static Event alarms(Instant time) {
        return new AlarmsChanged("event", "alarms", time);
    }

    static Event annotation(Instant time, Annotation annotation, boolean deleted) {
        return new AnnotationChanged("event", "annotation", time, annotation, deleted);
    }

    /**
     * A revision of a policy set took effect.
     *
     * @param domain whose set it is; null for the database's own set
     */
    @Schema(name = "PolicyEvent")
    record PolicyChanged(
            @Schema(allowableValues = "event") String type,
            @Schema(allowableValues = "policy") String event,
            Instant time,
            String database,
            @Nullable String domain,
            long revision,
            String actor,
            String message)
            implements Event {
        @Override
        public @Nullable String about() {
            return domain;
        }
    }

    /** A decision. One with a known id replaces the earlier one. */
    @Schema(name = "DecisionEvent")
    record Decided(
            @Schema(allowableValues = "event") String type,
            @Schema(allowableValues = "decision") String event,
            Instant time,
            DecisionJson decision)
            implements Event {
        @Override
        public @Nullable String about() {
            return decision.domain();
        }
    }

    /** An alarm was raised ({@code active}) or has ended. */
    @Schema(name = "AlarmEvent")
    record AlarmChanged(
            @Schema(allowableValues = "event") String type,
            @Schema(allowableValues = "alarm") String event,
            Instant time,
            String domain,
            AlarmJson alarm,
            boolean active)
            implements Event {
        @Override
        public String about() {
            return domain;
        }
    }

    /**
     * The list of domains or databases, or what is stored of one of them, has changed and should be fetched again. Told to everyone,
     * because every page lists them all.
     *
     * @param domain the only one that has changed; null if it was a database, or several changed
     * @param database the only one that has changed; null if it was a domain, or several changed
     */
    @Schema(name = "DomainsEvent")
    record DomainsChanged(
            @Schema(allowableValues = "event") String type,
            @Schema(allowableValues = "domains") String event,
            Instant time,
            @Nullable String domain,
            @Nullable String database)
            implements Event {
        @Override
        public @Nullable String about() {
            return null;
        }
    }

    /** The alarm log has changed and should be fetched again. */
    @Schema(name = "AlarmsEvent")
    record AlarmsChanged(
            @Schema(allowableValues = "event") String type,
            @Schema(allowableValues = "alarms") String event,
            Instant time)
            implements Event {
        @Override
        public @Nullable String about() {
            return null;
        }
    }

    /** An annotation was made, or {@code deleted}. One of a database is told to everyone. */
    @Schema(name = "AnnotationEvent")
    record AnnotationChanged(
            @Schema(allowableValues = "event") String type,
            @Schema(allowableValues = "annotation") String event,
            Instant time,
            Annotation annotation,
            boolean deleted)
            implements Event {
        @Override
        public @Nullable String about() {
            return annotation.domain();
        }
    }
}
