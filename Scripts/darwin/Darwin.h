// What the sources use of macOS's C library, with the types that it has there, for `Scripts/check-darwin`. The comment
// at the end of a line, or above a group, is the man page or the header that it was read in; "xnu", "Libc" and
// "libpthread" are Apple's open source projects. Swift's own part, `errno` and what C has with a variable number of
// arguments, is Darwin.swift.

// sys/_types.h, i386/_types.h and arm/_types.h (xnu): the same on both
typedef unsigned long size_t;
typedef unsigned long rsize_t;
typedef long ssize_t;
typedef long time_t;
typedef long long off_t;
typedef int pid_t;
typedef int dev_t;
typedef int blksize_t;
typedef int suseconds_t;
typedef int errno_t;
typedef long long blkcnt_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int useconds_t;
typedef unsigned short mode_t;
typedef unsigned short nlink_t;
typedef unsigned long long ino_t;
typedef unsigned int sigset_t;

// sys/errno.h (xnu)
int *__error(void);
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define EBADF 9
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define EXDEV 18
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOTTY 25
#define ETXTBSY 26
#define EFBIG 27
#define ENOSPC 28
#define EROFS 30
#define EMLINK 31
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ENOTSUP 45
#define ELOOP 62
#define ENAMETOOLONG 63
#define ENOTEMPTY 66
#define EDQUOT 69
#define ESTALE 70
#define ENOLCK 77
#define ENOSYS 78
#define EOPNOTSUPP 102

// sys/fcntl.h (xnu), open(2), fcntl(2), flock(2)
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_EXCL 0x00000800
#define O_NOCTTY 0x00020000
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define AT_FDCWD -2
#define AT_SYMLINK_NOFOLLOW 0x0020
#define F_GETFD 1
#define F_SETFD 2
#define F_SETFL 4
#define F_FULLFSYNC 51
#define FD_CLOEXEC 1
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
int flock(int, int);

// sys/sysctl.h (xnu), sysctlbyname(3)
int sysctlbyname(const char *, void *, size_t *, void *, size_t);

// sys/stat.h (xnu), with 64-bit inodes; stat(2), chmod(2), mkdir(2), utimensat(2)
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct stat {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  struct timespec st_atimespec;
  struct timespec st_mtimespec;
  struct timespec st_ctimespec;
  struct timespec st_birthtimespec;
  off_t st_size;
  blkcnt_t st_blocks;
  blksize_t st_blksize;
  unsigned int st_flags;
  unsigned int st_gen;
  int st_lspare;
  long long st_qspare[2];
};
int stat(const char *, struct stat *);
int lstat(const char *, struct stat *);
int fstat(int, struct stat *);
int fstatat(int, const char *, struct stat *, int);
int chmod(const char *, mode_t);
int fchmod(int, mode_t);
int fchown(int, uid_t, gid_t);
int mkdir(const char *, mode_t);
int futimens(int, const struct timespec[2]);

// sys/dirent.h (xnu), with 64-bit inodes; dirent.h (Libc), directory(3)
struct dirent {
  unsigned long long d_ino;
  unsigned long long d_seekoff;
  unsigned short d_reclen;
  unsigned short d_namlen;
  unsigned char d_type;
  char d_name[1024];
};
typedef struct {
  int __dd_fd;
} DIR;
DIR *fdopendir(int);
struct dirent *readdir(DIR *);
int closedir(DIR *);

// unistd.h (Libc) and the man pages of section 2; gethostname(3), getcwd(3), isatty(3), sysconf(3), usleep(3)
#define X_OK (1 << 0)
#define _SC_NPROCESSORS_ONLN 58
int access(const char *, int);
int close(int);
int fsync(int);
int ftruncate(int, off_t);
char *getcwd(char *, size_t);
uid_t geteuid(void);
int gethostname(char *, size_t);
pid_t getpgrp(void);
pid_t getpid(void);
uid_t getuid(void);
int isatty(int);
int linkat(int, const char *, int, const char *, int);
int pipe(int[2]);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
ssize_t read(int, void *, size_t);
ssize_t readlink(const char *, char *, size_t);
int rmdir(const char *);
long sysconf(int);
pid_t tcgetpgrp(int);
int unlink(const char *);
int unlinkat(int, const char *, int);
int usleep(useconds_t);
ssize_t write(int, const void *, size_t);
void _exit(int) __attribute__((noreturn));

// sys/stdio.h (xnu), rename(2)
#define RENAME_EXCL 0x00000004
int renameat(int, const char *, int, const char *);
int renamex_np(const char *, const char *, unsigned int);

// stdlib.h (Libc): arc4random(3), getenv(3), grantpt(3), malloc(3), mkdtemp(3), posix_memalign(3)
void arc4random_buf(void *, size_t);
void exit(int) __attribute__((noreturn));
void free(void *);
char *getenv(const char *);
int grantpt(int);
char *mkdtemp(char *);
int posix_memalign(void **, size_t, size_t);
int posix_openpt(int);
char *ptsname(int);
int unlockpt(int);

// crt_externs.h (Libc), environ(7)
char ***_NSGetEnviron(void);

// string.h (Libc): memchr(3), memset_s(3), strcmp(3), strerror(3), strlen(3)
void *memchr(const void *, int, size_t);
errno_t memset_s(void *, rsize_t, int, rsize_t);
int strcmp(const char *, const char *);
char *strerror(int);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);

// sys/mman.h (xnu), mlock(2)
int mlock(const void *, size_t);

// pwd.h (Libc), getpwuid(3)
struct passwd {
  char *pw_name;
  char *pw_passwd;
  uid_t pw_uid;
  gid_t pw_gid;
  time_t pw_change;
  char *pw_class;
  char *pw_gecos;
  char *pw_dir;
  char *pw_shell;
  time_t pw_expire;
};
struct passwd *getpwuid(uid_t);

// time.h (Libc), clock_gettime(3), nanosleep(2), time(3)
typedef enum {
  _CLOCK_REALTIME = 0,
  _CLOCK_MONOTONIC = 6,
  _CLOCK_THREAD_CPUTIME_ID = 16,
} clockid_t;
int clock_gettime(clockid_t, struct timespec *);
int nanosleep(const struct timespec *, struct timespec *);
time_t time(time_t *);

// sys/poll.h (xnu), poll(2)
#define POLLIN 0x0001
#define POLLOUT 0x0004
struct pollfd {
  int fd;
  short events;
  short revents;
};
typedef unsigned int nfds_t;
int poll(struct pollfd *, nfds_t, int);

// sys/select.h, sys/_types/_fd_def.h, sys/_types/_timeval.h (xnu), select(2)
struct timeval {
  time_t tv_sec;
  suseconds_t tv_usec;
};
typedef struct fd_set {
  int fds_bits[32];
} fd_set;
int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);

// sys/resource.h (xnu), getrlimit(2)
#define RLIMIT_CORE 4
typedef unsigned long long rlim_t;
struct rlimit {
  rlim_t rlim_cur;
  rlim_t rlim_max;
};
int getrlimit(int, struct rlimit *);
int setrlimit(int, const struct rlimit *);

// sys/wait.h (xnu), wait(2)
#define WNOHANG 0x00000001
pid_t waitpid(pid_t, int *, int);

// sys/signal.h (xnu), signal.h (Libc); kill(2), sigaction(2), sigpending(2), sigwait(2), sigsetops(3)
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGKILL 9
#define SIGPIPE 13
#define SIGTERM 15
#define SIGTSTP 18
#define SIGCONT 19
#define SIGCHLD 20
#define SIGXFSZ 25
#define SIG_BLOCK 1
#define SIG_UNBLOCK 2
#define SIG_SETMASK 3
typedef struct __siginfo siginfo_t;
typedef void (*sig_t)(int);
union __sigaction_u {
  void (*__sa_handler)(int);
  void (*__sa_sigaction)(int, siginfo_t *, void *);
};
struct sigaction {
  union __sigaction_u __sigaction_u;
  sigset_t sa_mask;
  int sa_flags;
};
int kill(pid_t, int);
int raise(int);
int sigaction(int, const struct sigaction *, struct sigaction *);
int sigaddset(sigset_t *, int);
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int sigismember(const sigset_t *, int);
int sigpending(sigset_t *);
int sigwait(const sigset_t *, int *);
void (*signal(int, void (*)(int)))(int);

// pthread.h (libpthread), sys/_pthread/_pthread_types.h (xnu)
#pragma clang assume_nonnull begin
typedef struct _opaque_pthread_t {
  long __sig;
} *pthread_t;
typedef struct _opaque_pthread_attr_t {
  long __sig;
  char __opaque[56];
} pthread_attr_t;
typedef struct _opaque_pthread_cond_t {
  long __sig;
  char __opaque[40];
} pthread_cond_t;
typedef struct _opaque_pthread_condattr_t {
  long __sig;
  char __opaque[8];
} pthread_condattr_t;
typedef struct _opaque_pthread_mutex_t {
  long __sig;
  char __opaque[56];
} pthread_mutex_t;
typedef struct _opaque_pthread_mutexattr_t {
  long __sig;
  char __opaque[8];
} pthread_mutexattr_t;
int pthread_attr_destroy(pthread_attr_t *);
int pthread_attr_init(pthread_attr_t *);
int pthread_attr_setstacksize(pthread_attr_t *, size_t);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_cond_destroy(pthread_cond_t *);
int pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *_Nullable);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_create(pthread_t _Nullable *_Nonnull, const pthread_attr_t *_Nullable,
                   void *_Nullable (*_Nonnull)(void *_Nullable), void *_Nullable);
int pthread_join(pthread_t, void *_Nullable *_Nullable);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *_Nullable);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_sigmask(int, const sigset_t *_Nullable, sigset_t *_Nullable);
#pragma clang assume_nonnull end

// spawn.h and sys/spawn.h (xnu), posix_spawn(2)
#define POSIX_SPAWN_SETPGROUP 0x0002
#define POSIX_SPAWN_SETSIGDEF 0x0004
#define POSIX_SPAWN_SETSIGMASK 0x0008
#define POSIX_SPAWN_SETSID 0x0400
typedef void *posix_spawnattr_t;
typedef void *posix_spawn_file_actions_t;
int posix_spawn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                char *const[]);
int posix_spawnp(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                 char *const[]);
int posix_spawn_file_actions_addclose(posix_spawn_file_actions_t *, int);
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *, int, int);
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *, int, const char *, int, mode_t);
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *);
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *);
int posix_spawnattr_destroy(posix_spawnattr_t *);
int posix_spawnattr_init(posix_spawnattr_t *);
int posix_spawnattr_setflags(posix_spawnattr_t *, short);
int posix_spawnattr_setpgroup(posix_spawnattr_t *, pid_t);
int posix_spawnattr_setsigdefault(posix_spawnattr_t *, const sigset_t *);
int posix_spawnattr_setsigmask(posix_spawnattr_t *, const sigset_t *);

// sys/termios.h (xnu), termios(4), tcsetattr(3)
#define ECHO 0x00000008
#define ECHONL 0x00000010
#define ISIG 0x00000080
#define ICANON 0x00000100
#define TCSANOW 0
#define TCSADRAIN 1
#define TCSAFLUSH 2
typedef unsigned long tcflag_t;
typedef unsigned char cc_t;
typedef unsigned long speed_t;
struct termios {
  tcflag_t c_iflag;
  tcflag_t c_oflag;
  tcflag_t c_cflag;
  tcflag_t c_lflag;
  cc_t c_cc[20];
  speed_t c_ispeed;
  speed_t c_ospeed;
};
int tcgetattr(int, struct termios *);
int tcsetattr(int, int, const struct termios *);

// sys/ttycom.h (xnu), tty(4)
struct winsize {
  unsigned short ws_row;
  unsigned short ws_col;
  unsigned short ws_xpixel;
  unsigned short ws_ypixel;
};
