package dev.headgate.server.limits;

import org.springframework.boot.jackson.autoconfigure.JsonFactoryBuilderCustomizer;
import org.springframework.stereotype.Component;
import tools.jackson.core.json.JsonFactoryBuilder;
import tools.jackson.core.util.JsonRecyclerPools;

/**
 * Lets every reading and writing of JSON have buffers of its own. Jackson would reuse them without overwriting them, and a password
 * would stay in memory until a longer body comes along.
 */
@Component
final class ForgetfulJson implements JsonFactoryBuilderCustomizer {

    @Override
    public void customize(JsonFactoryBuilder builder) {
        builder.recyclerPool(JsonRecyclerPools.nonRecyclingPool());
    }
}
