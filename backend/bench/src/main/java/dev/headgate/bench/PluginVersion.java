package dev.headgate.bench;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/** Versions of one plugin: the same classes, defined again in a class loader for each. */
final class PluginVersion {

    private PluginVersion() {}

    /** The plugin's class. Leaves a value in a thread local of each thread that it runs on, as careless plugins do. */
    public static final class Factory implements PolicyFactory {

        static final ThreadLocal<Object> MARK = new ThreadLocal<>();

        @Override
        public String id() {
            return "fixed";
        }

        @Override
        public String description() {
            return "Answers what its parameters say.";
        }

        @Override
        public String parameterSchema() {
            return "{\"type\": \"object\"}";
        }

        @Override
        public Policy create(Parameters parameters) throws InvalidParametersException {
            return new Fixed(Limits.unbounded()
                    .withFloor(parameters.integer("floor"))
                    .withCeiling(parameters.integer("ceiling"))
                    .because("fixed for the measurement"));
        }
    }

    static final class Fixed implements Policy {

        private final Limits limits;

        Fixed(Limits limits) {
            this.limits = limits;
        }

        @Override
        public Limits limits(PoolView pool) {
            Factory.MARK.set(this);
            return limits;
        }
    }

    static PolicyFactory load() {
        try {
            return (PolicyFactory) new Loader()
                    .loadClass(Factory.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static PolicySet set(PolicyFactory factory, long revision, int floor, int ceiling) {
        Policy policy = factory.create(Parameters.of(Map.of("floor", floor, "ceiling", ceiling)));
        return PolicySet.of(revision, WhenExhausted.queue(60_000, 100_000), new PolicySet.Member("fixed", policy));
    }

    private static final class Loader extends ClassLoader {

        Loader() {
            super("version", PluginVersion.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(PluginVersion.class.getName() + "$F")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
