/// The search in short texts.
extension String {
    /// Returns whether the text contains `part`, compared byte by byte.
    ///
    /// The standard library's `contains` for strings links Swift's regular expressions, which add 1.5 MB to the
    /// compositor.
    package func includes(_ part: String) -> Bool {
        var remainingBytes = utf8[...]
        while remainingBytes.count >= part.utf8.count {
            if remainingBytes.starts(with: part.utf8) { return true }
            guard remainingBytes.popFirst() != nil else { return false }
        }
        return false
    }
}
