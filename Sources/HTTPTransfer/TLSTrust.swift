/// The accepted certificates of https servers.
package enum TLSTrust: Sendable, Equatable {
    /// Certificates issued by an authority in the system's store.
    case systemRoots
    /// Certificates issued by an authority in this file (PEM).
    case authorities(file: String)
    /// Every certificate is accepted. This is insecure, because any server can impersonate another.
    case anything
}
