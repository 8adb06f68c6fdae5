package dev.wheelhouse.pki;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * The parts of a certificate's subject that name its user.
 *
 * @param name empty if the subject has no common name
 * @param groups the organizations
 */
public record Subject(String name, List<String> groups) {
    /** @throws IllegalArgumentException if the subject is malformed, or one of the parts is no text */
    public static Subject of(String distinguishedName) {
        String name = "";
        List<String> groups = new ArrayList<>();
        try {
            for (Rdn part : new LdapName(distinguishedName).getRdns()) {
                // A part may have several attributes, as "O=a+O=b", and an attribute several values.
                for (Attribute attribute : Collections.list(part.toAttributes().getAll())) {
                    for (Object value : Collections.list(attribute.getAll())) {
                        if (attribute.getID().equalsIgnoreCase("CN")) {
                            name = text(value);
                        } else if (attribute.getID().equalsIgnoreCase("O")) {
                            groups.add(text(value));
                        }
                    }
                }
            }
        } catch (NamingException e) {
            throw new IllegalArgumentException("the certificate's subject is malformed");
        }
        return new Subject(name, groups);
    }

    /** Values of unusual types are bytes, which other programs may read as a text. */
    private static String text(Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("the certificate's subject has a value that is no text");
    }
}
