package dev.headgate.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of a user's load, as the body of {@code PUT /workloads/{name}}: one YAML file, which has that body's shape, or
 * scripts of pgbench, each with an optional {@code @weight}.
 */
final class LoadFiles {

    private static final int MOST_BYTES = 1 << 20;
    private static final Pattern WEIGHTED = Pattern.compile("(.+)@(\\d{1,7})");

    private LoadFiles() {}

    /** @throws CommandFailed if a file cannot be read */
    static Map<String, Object> body(List<String> files) {
        if (files.size() == 1 && isYaml(files.getFirst())) {
            return LoadYaml.read(files.getFirst(), text(files.getFirst()), MOST_BYTES);
        }
        List<Map<String, Object>> transactions = new ArrayList<>();
        for (String each : files) {
            if (isYaml(each)) {
                throw CommandFailed.notTried("'" + each + "' stands beside other files; a YAML file is a whole load");
            }
            Matcher weighted = WEIGHTED.matcher(each);
            boolean has = weighted.matches();
            String file = has ? weighted.group(1) : each;
            Map<String, Object> transaction = new LinkedHashMap<>();
            transaction.put("name", lastPart(file));
            transaction.put("weight", has ? Integer.parseInt(weighted.group(2)) : 1);
            transaction.put("script", text(file));
            transactions.add(transaction);
        }
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("transactions", transactions);
        return body;
    }

    /** The name for a load of these files: the first one's, in the letters that are allowed. */
    static String name(List<String> files) {
        String first = lastPart(files.getFirst()).replaceFirst("\\.[^.]*$", "").toLowerCase(Locale.ROOT);
        String name = first.replaceAll("[^a-z0-9]+", "-").replaceAll("^[-0-9]+|-$", "");
        return name.isEmpty() ? "load" : name.substring(0, Math.min(name.length(), 63));
    }

    private static boolean isYaml(String file) {
        return file.endsWith(".yaml") || file.endsWith(".yml");
    }

    private static String lastPart(String file) {
        Path last = Path.of(file).getFileName();
        return last == null ? file : last.toString();
    }

    private static String text(String file) {
        Path path = Path.of(file);
        if (Files.isDirectory(path)) {
            throw CommandFailed.notTried("'" + file + "' is a folder and no file");
        }
        try {
            if (Files.size(path) > MOST_BYTES) {
                throw CommandFailed.notTried("'" + file + "' has more than " + MOST_BYTES + " bytes");
            }
            return Files.readString(path);
        } catch (NoSuchFileException e) {
            throw CommandFailed.notTried("there is no file '" + file + "'");
        } catch (IOException e) {
            throw CommandFailed.notTried("'" + file + "' cannot be read as UTF-8");
        }
    }
}
