package dev.headgate.server.startup;

import dev.headgate.server.store.CannotStart;
import java.nio.charset.CharacterCodingException;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootExceptionReporter;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/** Says in one sentence on standard error why the service cannot start, if it is a reason that a person can fix. */
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class FailureSentence implements SpringBootExceptionReporter {

    /** Spring Boot calls this constructor. */
    public FailureSentence(@Nullable ConfigurableApplicationContext context) {}

    @Override
    @SuppressWarnings("SystemOut") // the sentence is for the person at the terminal, whatever is logged elsewhere
    public boolean reportException(Throwable failure) {
        Optional<String> sentence = sentence(failure);
        sentence.ifPresent(words -> System.err.println("Headgate cannot start: " + words));
        return sentence.isPresent();
    }

    private static Optional<String> sentence(Throwable failure) {
        @Nullable CannotStart known = find(failure, CannotStart.class);
        if (known != null) {
            return Optional.ofNullable(known.getMessage());
        }
        @Nullable PortInUseException taken = find(failure, PortInUseException.class);
        if (taken != null) {
            return Optional.of("port " + taken.getPort()
                    + " is taken by another program; stop it, or choose another port with --port.");
        }
        @Nullable YAMLException unreadable = find(failure, YAMLException.class);
        if (unreadable != null) {
            return Optional.of("the settings' file (--config) " + why(unreadable) + ".");
        }
        @Nullable
        UnboundConfigurationPropertiesException unknown = find(failure, UnboundConfigurationPropertiesException.class);
        if (unknown != null) {
            String names = unknown.getUnboundProperties().stream()
                    .map(each -> each.getName().toString())
                    .collect(Collectors.joining(", "));
            return Optional.of("there is no setting " + names + "; docs/operations.md lists them.");
        }
        org.springframework.boot.context.properties.bind.@Nullable BindException unbound =
                find(failure, org.springframework.boot.context.properties.bind.BindException.class);
        if (unbound != null) {
            Throwable root = unbound;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            return Optional.of("the setting " + unbound.getName() + " is wrong: " + root.getMessage());
        }
        return Optional.empty();
    }

    /** The parser knows no file's name. */
    private static String why(YAMLException unreadable) {
        if (find(unreadable, CharacterCodingException.class) != null) {
            return "is not UTF-8";
        }
        return unreadable instanceof MarkedYAMLException marked && marked.getProblemMark() != null
                ? "is not YAML: line " + (marked.getProblemMark().getLine() + 1) + ": " + marked.getProblem()
                : "is not YAML: " + unreadable.getMessage();
    }

    private static <T extends Throwable> @Nullable T find(@Nullable Throwable failure, Class<T> type) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (type.isInstance(e)) {
                return type.cast(e);
            }
        }
        return null;
    }
}
