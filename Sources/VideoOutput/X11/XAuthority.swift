import CLinux
import CXCB
import Glibc
import SystemCalls

/// The entries of an X authority file (Xauthority, see xauth(1)).
///
/// libxcb finds the file only through the environment, and changing the environment is unsafe while other threads read
/// it. Therefore this type reads the file.
struct XAuthority {
    /// An entry of the authority file: the authorisation data for one server.
    struct Entry: Equatable {
        /// The kind of ``address``, such as ``XAuthority/local``.
        let family: UInt16
        /// The network address or the host name of the server.
        let address: [UInt8]
        /// The X display number in decimal digits; an empty number matches all displays.
        let displayNumber: [UInt8]
        /// The name of the authorisation protocol, such as `MIT-MAGIC-COOKIE-1`.
        let name: [UInt8]
        /// The secret data of the authorisation protocol, such as the cookie.
        let data: [UInt8]
    }

    /// The address and X display number of a server, for which an entry is searched.
    struct Server: Equatable {
        /// The kind of ``address``, such as ``XAuthority/internet``.
        let family: UInt16
        /// The network address or the host name of the server.
        let address: [UInt8]
        /// The X display number.
        let displayNumber: Int
    }

    /// The address families of the file format: IPv4, IPv6, a local host name, and any address.
    static let internet: UInt16 = 0, internet6: UInt16 = 6, local: UInt16 = 256, wild: UInt16 = 65_535
    /// The authorisation protocol whose entries are used; all other entries are ignored.
    static let cookieName = Array("MIT-MAGIC-COOKIE-1".utf8)
    /// The maximum size of an authority file, in bytes.
    static let byteLimit = 1 << 20

    /// The entries of the authority file.
    let entries: [Entry]

    /// Reads an authority file. A FIFO is rejected without waiting for a writer.
    ///
    /// - Throws: `SystemCallError` if the file cannot be read, is not a regular file, or is larger than ``byteLimit``.
    init(contentsOf path: String) throws(SystemCallError) {
        let file = try FileDescriptor(opening: path, flags: O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        var status = stat()
        try systemCall("fstat") { fstat(file.raw, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemCallError(call: "not a regular file", number: EINVAL)
        }
        guard status.st_size <= Self.byteLimit else { throw SystemCallError(call: "authority file", number: EFBIG) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size)), count = 0
        while count < bytes.count {
            let readCount = try systemCall("read") {
                bytes.withUnsafeMutableBytes { read(file.raw, $0.baseAddress.map { $0 + count }, $0.count - count) }
            }
            if readCount == 0 { break }
            count += readCount
        }
        self.init(parsing: bytes[..<count])
    }

    /// Parses the contents of an authority file up to the first incomplete entry. All numbers in the file have 16 bits
    /// and are big-endian.
    init(parsing bytes: ArraySlice<UInt8>) {
        var remainingBytes = bytes, entries: [Entry] = []
        func number() -> Int? {
            guard remainingBytes.count >= 2 else { return nil }
            defer { remainingBytes = remainingBytes.dropFirst(2) }
            return Int(remainingBytes[remainingBytes.startIndex]) << 8
                | Int(remainingBytes[remainingBytes.startIndex + 1])
        }
        func field() -> [UInt8]? {
            guard let count = number(), remainingBytes.count >= count else { return nil }
            defer { remainingBytes = remainingBytes.dropFirst(count) }
            return Array(remainingBytes.prefix(count))
        }
        while let family = number(), let address = field(), let displayNumber = field(), let name = field(),
            let data = field()
        {
            entries.append(
                Entry(family: UInt16(family), address: address, displayNumber: displayNumber, name: name, data: data))
        }
        self.entries = entries
    }

    /// Returns the secret of the first `MIT-MAGIC-COOKIE-1` entry for one of `servers`.
    func cookie(for servers: [Server]) -> [UInt8]? {
        entries.first { entry in
            entry.name == Self.cookieName
                && servers.contains { server in
                    let isHost =
                        entry.family == Self.wild || entry.family == server.family && entry.address == server.address
                    let isDisplay =
                        entry.displayNumber.isEmpty || entry.displayNumber == Array(String(server.displayNumber).utf8)
                    return isHost && isDisplay
                }
        }?.data
    }

    /// Returns the X servers that a display name may mean; empty if the name is invalid.
    ///
    /// - Parameter display: A name such as `:0`, `unix:0` or `host:0.1`.
    static func servers(of display: String) -> [Server] {
        var host: UnsafeMutablePointer<CChar>?, displayNumber: Int32 = 0
        guard xcb_parse_display(display, &host, &displayNumber, nil) != 0, let host else { return [] }
        defer { free(host) }
        let name = String(cString: host), ownHostName = hostName
        let localServer = Server(family: local, address: ownHostName, displayNumber: Int(displayNumber))
        if name.isEmpty || name == "unix" || name.hasPrefix("/") || name == "localhost"
            || Array(name.utf8) == ownHostName
        {
            return [localServer]
        }
        return addresses(of: name).map { family, address in
            address == [127, 0, 0, 1] || address == [UInt8](repeating: 0, count: 15) + [1]
                ? localServer : Server(family: family, address: address, displayNumber: Int(displayNumber))
        }
    }

    /// The name of this machine.
    static var hostName: [UInt8] {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return [] }
        return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }

    /// Resolves a host name to addresses. Waits for the name service.
    private static func addresses(of host: String) -> [(family: UInt16, address: [UInt8])] {
        var addressList: UnsafeMutablePointer<addrinfo>?
        var hints = addrinfo()
        hints.ai_socktype = clinux_stream_socket_type
        guard getaddrinfo(host, nil, &hints, &addressList) == 0 else { return [] }
        defer { freeaddrinfo(addressList) }
        return sequence(first: addressList, next: { $0?.pointee.ai_next }).prefix { $0 != nil }.compactMap { info in
            guard let address = info?.pointee.ai_addr else { return nil }
            let raw = UnsafeRawPointer(address)
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                let bytes = raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_addr
                return (internet, withUnsafeBytes(of: bytes) { Array($0) })
            case AF_INET6:
                let bytes = raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_addr
                return (internet6, withUnsafeBytes(of: bytes) { Array($0) })
            default: return nil
            }
        }
    }
}
