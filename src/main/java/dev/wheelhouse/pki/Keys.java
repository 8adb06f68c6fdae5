package dev.wheelhouse.pki;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;

import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.crypto.params.AsymmetricKeyParameter;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.params.RSAKeyParameters;
import org.bouncycastle.crypto.params.RSAPrivateCrtKeyParameters;
import org.bouncycastle.crypto.util.PrivateKeyFactory;
import org.bouncycastle.crypto.util.SubjectPublicKeyInfoFactory;

/** Makes and compares pairs of keys. */
public final class Keys {
    private static final byte[] PROBE = {1};

    private Keys() {}

    /** A new pair on the curve P-256. */
    public static KeyPair newPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has the curve P-256", e);
        }
    }

    /**
     * A private key and its public key.
     *
     * @throws IllegalArgumentException unless it is an RSA or EC key
     */
    public static KeyPair pair(PrivateKey key) {
        try {
            AsymmetricKeyParameter parameters = PrivateKeyFactory.createKey(key.getEncoded());
            AsymmetricKeyParameter open = switch (parameters) {
                case RSAPrivateCrtKeyParameters rsa ->
                    new RSAKeyParameters(false, rsa.getModulus(), rsa.getPublicExponent());
                case ECPrivateKeyParameters ec -> new ECPublicKeyParameters(
                        ec.getParameters().getG().multiply(ec.getD()), ec.getParameters());
                default -> throw new IllegalArgumentException(key.getAlgorithm() + " is another algorithm");
            };
            return new KeyPair(publicKey(SubjectPublicKeyInfoFactory.createSubjectPublicKeyInfo(open)), key);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** A key of the JDK's own class, because TLS finds no signature for those of other providers. */
    static PrivateKey privateKey(PrivateKeyInfo key) throws GeneralSecurityException, IOException {
        return factory(key.getPrivateKeyAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(key.getEncoded()));
    }

    static PublicKey publicKey(SubjectPublicKeyInfo key) throws GeneralSecurityException, IOException {
        return factory(key.getAlgorithm()).generatePublic(new X509EncodedKeySpec(key.getEncoded()));
    }

    private static KeyFactory factory(AlgorithmIdentifier algorithm) throws GeneralSecurityException {
        ASN1ObjectIdentifier id = algorithm.getAlgorithm();
        return KeyFactory.getInstance(id.equals(X9ObjectIdentifiers.id_ecPublicKey) ? "EC" : id.getId());
    }

    /** Whether two keys form a pair: the public key verifies a signature of the private key. */
    public static boolean isPair(PrivateKey key, PublicKey publicKey) {
        try {
            Signature signature = Signature.getInstance(switch (key.getAlgorithm()) {
                case "EC" -> "SHA256withECDSA";
                case "EdDSA" -> "EdDSA";
                default -> "SHA256with" + key.getAlgorithm();
            });
            signature.initSign(key);
            signature.update(PROBE);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(PROBE);
            return signature.verify(signed);
        } catch (GeneralSecurityException | RuntimeException e) {
            // Providers differ in how they refuse a key that is none.
            return false;
        }
    }
}
