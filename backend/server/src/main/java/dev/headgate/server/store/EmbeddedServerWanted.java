package dev.headgate.server.store;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether an embedded PostgreSQL is needed: for the store, or for the demo's domains. */
final class EmbeddedServerWanted implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        boolean ownStore = environment.getProperty("headgate.store.url", "").isBlank();
        return ownStore || environment.getProperty("headgate.demo", Boolean.class, true);
    }
}
