package dev.headgate.server.files;

import dev.headgate.server.files.FileChange.FileDifference;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Answers as plain text, for a terminal. */
final class Words {

    private final JsonMapper json;

    Words(JsonMapper json) {
        this.json = json;
    }

    String answer(FilesAnswer answer) {
        StringBuilder text = new StringBuilder();
        for (FileChange change : answer.changes()) {
            String sign =
                    change.action().equals("create") ? "+" : change.action().equals("delete") ? "-" : "~";
            text.append(sign).append(' ').append(change.subject());
            if (change.at() != null) {
                text.append("  (").append(change.at()).append(')');
            }
            text.append('\n');
            for (FileDifference difference : change.differences()) {
                text.append("    ").append(difference.pointer()).append(": ");
                if (!change.action().equals("create")) {
                    text.append(value(difference.from())).append(" -> ");
                }
                text.append(value(difference.to())).append('\n');
            }
        }
        for (String left : answer.leftover()) {
            text.append("! ")
                    .append(left)
                    .append(" was applied from a source of these files and is not in them any more;");
            text.append(" --prune deletes it, --release gives it back\n");
        }
        answer.warnings().forEach(warning -> text.append("! ").append(warning).append('\n'));
        int count = answer.changes().size();
        String changes = count == 1 ? "1 change" : count + " changes";
        if (count == 0) {
            text.append("Nothing to do: everything is as ")
                    .append(answer.source())
                    .append(" says.\n");
        } else {
            if (!answer.applied()) {
                text.append("To apply this diff and no other: ./headgate apply, with what diff was given and --diff ")
                        .append(answer.id())
                        .append('\n');
            }
            text.append(answer.applied() ? "Applied " : "").append(changes);
            text.append(answer.applied() ? " from " : " in ")
                    .append(answer.source())
                    .append(".\n");
        }
        return text.toString();
    }

    String released(List<Files.Released> released) {
        StringBuilder text = new StringBuilder();
        released.forEach(one -> text.append("Released ")
                .append(one.kind())
                .append(' ')
                .append(one.name())
                .append(", which was managed by ")
                .append(one.managedBy())
                .append(".\n"));
        return released.isEmpty() ? "Nothing to do: none of these is managed by files.\n" : text.toString();
    }

    String problem(ProblemException problem) {
        StringBuilder text = new StringBuilder(problem.type().title());
        text.append(": ").append(problem.getMessage()).append('\n');
        for (Fault fault : problem.faults()) {
            text.append("  ");
            if (fault.at() != null) {
                text.append(fault.at()).append(' ');
            }
            if (!fault.pointer().isEmpty()) {
                text.append(fault.pointer()).append(' ');
            }
            text.append(fault.message());
            if (fault.allowed() != null) {
                text.append("; allowed: ").append(fault.allowed());
            }
            text.append('\n');
        }
        if (problem.diff() instanceof FilesAnswer now) {
            text.append(answer(now));
        }
        return text.toString();
    }

    private String value(@Nullable Object value) {
        return value == null ? "nothing" : json.writeValueAsString(value);
    }
}
