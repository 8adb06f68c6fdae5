package dev.wheelhouse.apiserver.auth;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a file of bearer tokens. Each line has a token, a user name, a UID and optionally groups, separated by commas;
 * several groups are quoted together (upstream: {@code apiserver/pkg/authentication/token/tokenfile}).
 */
public final class TokenFile {
    private TokenFile() {}

    /**
     * @return users by their tokens
     * @throws AuthConfigException if the file cannot be read or a line is malformed
     */
    public static Map<String, User> read(Path file) {
        try {
            return parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw new AuthConfigException("the token file " + file + " cannot be read (" + AuthConfigException.why(e)
                    + "): name a file of lines such as token,user,uid,\"group1,group2\"", e);
        }
    }

    static Map<String, User> parse(String file, String text) {
        Map<String, User> users = new LinkedHashMap<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (line.isBlank()) {
                continue;
            }
            List<String> fields = fields(line);
            if (fields.size() < 3 || fields.get(0).isBlank() || fields.get(1).isBlank()) {
                throw new AuthConfigException("line " + number + " of the token file " + file
                        + " is malformed: it must be token,user,uid or token,user,uid,\"group1,group2\"", null);
            }
            List<String> groups = fields.size() < 4 || fields.get(3).isBlank()
                    ? List.of()
                    : List.of(fields.get(3).strip().split("\\s*,\\s*"));
            users.put(fields.get(0).strip(),
                    User.authenticated(fields.get(1).strip(), fields.get(2).strip(), groups, Map.of()));
        }
        return Map.copyOf(users);
    }

    /** The values of a line of CSV. Within a quoted value, quotes are doubled. */
    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"' && quoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
                field.append('"');
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == ',' && !quoted) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }
}
