package dev.headgate.server.live;

import dev.headgate.server.alarms.AlarmsChanged;
import dev.headgate.server.annotations.AnnotationChanged;
import dev.headgate.server.api.Scope;
import dev.headgate.server.databases.DatabasesChanged;
import dev.headgate.server.domains.DomainsChanged;
import dev.headgate.server.policies.OwnersChanged;
import dev.headgate.server.policies.PolicyChanged;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

/** Publishes other features' changes to the stream's clients. Runs on the thread that made the change; does not block. */
@Component
class News {

    private final Broadcaster broadcaster;

    News(Broadcaster broadcaster) {
        this.broadcaster = broadcaster;
    }

    @EventListener
    void on(DomainsChanged change) {
        broadcaster.publish(Event.domains(change.time(), change.domain(), null));
    }

    @EventListener
    void on(DatabasesChanged change) {
        broadcaster.publish(Event.domains(change.time(), null, change.database()));
    }

    /** Runs after the commit of the transaction that publishes it, because clients fetch the change at once. */
    @TransactionalEventListener(fallbackExecution = true)
    void on(OwnersChanged change) {
        Scope only = change.scopes().size() == 1 ? change.scopes().iterator().next() : null;
        broadcaster.publish(Event.domains(
                change.time(),
                only != null && only.kind() == Scope.Kind.DOMAIN ? only.name() : null,
                only != null && only.kind() == Scope.Kind.DATABASE ? only.name() : null));
    }

    @EventListener
    void on(AlarmsChanged change) {
        broadcaster.publish(Event.alarms(change.time()));
    }

    @EventListener
    void on(AnnotationChanged change) {
        broadcaster.publish(Event.annotation(change.time(), change.annotation(), change.deleted()));
    }

    @EventListener
    void on(PolicyChanged change) {
        boolean ofDomain = change.scope().kind() == Scope.Kind.DOMAIN;
        broadcaster.publish(Event.policy(
                change.time(),
                change.database(),
                ofDomain ? change.scope().name() : null,
                change.revision(),
                change.actor(),
                change.message()));
    }
}
